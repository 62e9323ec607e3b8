// Package errors holds every error a caller of mcpclient can branch on.
//
// There are two types. A failure on the request path is always a
// *TransporterRequestError; it says which server, which action, what kind of
// failure, and carries whatever the peer or the transport told. A fault in the
// configuration is a *ServerConfigurationError with one Fault per bad key.
//
// Kinds of failure that callers commonly test for are sentinels:
//
//	if errors.Is(err, errors.ErrRequestTimeout) { ... }
//
// The question callers really have, whether a call may be made again without
// risking that its work is done twice, is answered by SafeToRetry.
//
// Is, As, Join, New and Unwrap of the standard library are re-exported, so that
// one import serves.
package errors
