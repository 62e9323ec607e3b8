// Package supply holds tests of what a user of the module takes over with it: the
// exported API, of which nothing may vanish unnoticed, and the licences of what it
// is built from. With -update they write api.txt and ../../docs/licences.md.
package supply
