// Package clients holds, in its folders, one driver for each client under test.
// Its test lets all of them do all workloads' calls.
package clients
