// Package day plays a day in the life of a web backend: the example webapp, built
// and run as a process, uses five servers, each a process of its own, while users
// call through it, servers die, hang and refuse, tokens end and the configuration
// changes. It holds tests only, for Linux, where what is left behind can be counted.
//
// It lasts half an hour with DAY=30m (`make day`), and a few seconds without DAY.
// Chance decides what happens when, from a seed that is printed; DAY_SEED repeats it.
//
//   - scenario: the servers, what users do, what goes wrong, as tables;
//   - server, endpoint, issuer: the servers, which this test program is when it is
//     started as one (main);
//   - peer, backend, configuration: starting, stopping and looking at all of these;
//   - caller: a user at a browser; oracle: what the answer must be, and which
//     failure has a cause;
//   - injector: faults and reloads; watcher: whether the debug page tells the truth.
//
// An answer is a function of the question and the user. A failure must be of a kind
// that a fault of the same server, no longer ago than the client's longest pause
// before it tries again, can cause.
package day
