// Package process starts child processes and ends them for good.
//
// What it guarantees, and how:
//
//   - The child leads a process group of its own. Signals go to the group, and
//     the group gets SIGKILL at every death of its leader, before the leader is
//     reaped: while the leader is a zombie its number cannot belong to anybody
//     else, so the signal cannot hit a stranger. (Linux; elsewhere on Unix the
//     signal follows immediately after the reaping.) A launcher such as npx
//     therefore leaves nothing behind.
//   - Stdin, stdout and stderr are pipes made here, not by os/exec. Once the
//     leader has exited, what is left in stdout and stderr is read without
//     blocking and then they end, so a grandchild that fled the group and holds
//     a pipe can neither hang a reader nor hide the death.
//   - Done is closed after stderr was read to its end (for at most 100 ms), so
//     StderrTail tells why the child died.
//
// Linux's parent-death signal is left out on purpose: it is bound to the thread
// that forked, and Go ends threads while the program lives, which would kill
// healthy children. If this program is killed its children see the end of stdin.
//
// On systems without process groups only the child itself is ended.
package process
