// Package policy holds the wrappers that stand between a connection and its
// session, a file each. A policy is a transporters.Wrapper made by a constructor
// that takes the server's name and the policy's part of the configuration. It
// keeps no state that is shared between servers.
package policy
