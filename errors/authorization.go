package errors

// The sentinels of authorization (package auth). They come within a
// *TransporterRequestError of KindAuth where a call failed. ErrAuthRequired says
// that somebody has to authorize; these say why that did not work.
var (
	// ErrAuthorizationDiscovery: the protected resource or its authorization
	// server does not say, or says wrongly, how to authorize.
	ErrAuthorizationDiscovery = New("authorization discovery failed")

	// ErrClientRegistration: there is no client id for the authorization server,
	// or it refused to register one.
	ErrClientRegistration = New("client registration failed")

	// ErrAuthorizationDenied: the user or the authorization server said no.
	ErrAuthorizationDenied = New("authorization denied")

	// ErrAuthorizationResponse: what came back to the redirect URL is not the
	// answer to a request of ours: state or issuer differ, or it was used before.
	ErrAuthorizationResponse = New("invalid authorization response")

	// ErrTokenRequest: the token endpoint, or the command that prints tokens,
	// refused, or did not answer properly.
	ErrTokenRequest = New("token request failed")

	// ErrInsufficientScope: the server wants scopes that were asked for in vain,
	// or does not say which.
	ErrInsufficientScope = New("insufficient scope")
)
