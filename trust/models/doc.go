// Package models checks three parts against random histories: what the part does
// after each step is compared with a model, a few lines that say what should come
// of it. The parts are those where one event meets another: the table of requests
// that wait for an answer, the supervision of a process that dies, and the
// recovery of a lost session.
//
// A failure prints the shortest history found, and how to repeat it. Time stands
// still between the steps (testing/synctest), so a history of minutes takes
// milliseconds.
package models
