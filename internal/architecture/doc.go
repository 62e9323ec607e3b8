// Package architecture checks the rules that the packages of this module keep
// among themselves, so that they are kept by a failing test and not by memory:
//
//   - the layers: an import only points to a layer further left;
//   - one place each for settings from files and environment, for the network
//     and for processes;
//   - no package state and no work at package start.
//
// It reads source text only; nothing is compiled. Test files and nested modules
// are not bound by the rules.
package architecture
