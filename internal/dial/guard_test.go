package dial

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func parsed(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

func compiled(t testing.TB, guard Guard) *rules {
	t.Helper()
	made, err := guard.compile()
	require.NoError(t, err)
	return made
}

// R302, R303: the forms of addresses that a server must not lead to, and some
// neighbours that it may.
func TestAddressesThatAServerMayLeadTo(t *testing.T) {
	for address, reason := range map[string]string{
		"8.8.8.8": "", "9.255.255.255": "", "11.0.0.0": "", "100.63.255.255": "", "100.128.0.0": "", "126.255.255.255": "", "128.0.0.0": "",
		"172.15.255.255": "", "172.32.0.0": "", "192.167.255.255": "", "192.169.0.0": "", "169.253.255.255": "", "169.255.0.0": "",
		"198.17.255.255": "", "198.20.0.0": "", "223.255.255.255": "", "168.63.129.15": "",
		"2606:4700::1111": "", "2a00:1450::5": "", "2001:4860:4860::8888": "", "2001:200::1": "", "3ffe::1": "",

		"127.0.0.1": "a loopback address", "127.255.255.254": "a loopback address", "::1": "a loopback address", "::1%lo": "a loopback address",
		"10.0.0.1": "a private address", "172.16.0.1": "a private address", "172.31.255.255": "a private address", "192.168.1.1": "a private address",
		"fc00::1": "a private address", "fd00:ec2::254": "a private address", "fec0::1": "a private address",
		"169.254.169.254": "a link-local address", "fe80::1": "a link-local address", "fe80::1%eth0": "a link-local address", "febf::1": "a link-local address",
		"100.64.0.1": "shared network", "100.100.100.200": "shared network", "100.127.255.255": "shared network",
		"0.0.0.0": "no host", "0.1.2.3": "no host", "::": "no host",
		"224.0.0.1": "multicast", "239.255.255.255": "multicast", "ff02::1": "multicast", "ff0e::1": "multicast",
		"240.0.0.1": "reserved", "255.255.255.255": "reserved",
		"192.0.0.192": "special", "192.88.99.1": "special", "192.0.2.1": "documentation", "198.51.100.1": "documentation", "203.0.113.1": "documentation",
		"198.18.0.1": "benchmarks", "198.19.255.255": "benchmarks", "168.63.129.16": "a cloud's own services",
		"2001:db8::1": "documentation", "3fff::1": "documentation", "2001::1": "special", "2001:20::1": "special",
		"100::1": "not an address of the public internet", "5f00::1": "not an address of the public internet", "4000::1": "not an address of the public internet",

		// The same addresses within IPv6.
		"::ffff:127.0.0.1": "a loopback address", "::ffff:10.0.0.1": "a private address", "::ffff:a9fe:a9fe": "a link-local address", "::ffff:8.8.8.8": "",
		"::127.0.0.1": "not an address", "::8.8.8.8": "not an address", "::ffff:0:127.0.0.1": "not an address", "::ffff:0:8.8.8.8": "not an address",
		"64:ff9b::7f00:1": "a loopback address", "64:ff9b::10.0.0.1": "a private address", "64:ff9b::169.254.169.254": "a link-local address", "64:ff9b::8.8.8.8": "",
		"64:ff9b:1::10.0.0.1": "not an address", "64:ff9b:1::8.8.8.8": "not an address",
		"2002:7f00:1::": "a loopback address", "2002:a00:1::1": "a private address", "2002:a9fe:a9fe::1": "a link-local address", "2002:808:808::1": "",
		"2001:0:4136:e378:8000:63bf:3fff:fdd2": "special", // Teredo
	} {
		err := compiled(t, NewGuard(false, nil, nil)).checkAddress("host.example", "443", netip.MustParseAddr(address), false)
		if reason == "" {
			assert.NoError(t, err, address)
			continue
		}
		refusal, ok := errors.AsType[*errors.ForbiddenAddressError](err)
		if !assert.True(t, ok, "%s: %v", address, err) {
			continue
		}
		assert.Contains(t, refusal.Reason, reason, address)
		assert.Equal(t, "network.allow", refusal.Key)
		assert.Equal(t, "host.example", refusal.Host)
		assert.ErrorIs(t, err, errors.ErrForbiddenAddress)
		assert.ErrorIs(t, err, errors.ErrNotSent)
		assert.ErrorContains(t, err, `connecting to host.example (`+refusal.Address+`) is forbidden`)
		assert.ErrorContains(t, err, `an entry "host.example" of network.allow would allow it`)

		open := compiled(t, NewGuard(true, nil, nil))
		assert.NoError(t, open.checkAddress("host.example", "443", netip.MustParseAddr(address), false), "allow_private: %s", address)
	}
}

// R303: what a URL shows by itself.
func TestURLsThatAServerMayGive(t *testing.T) {
	for target, reason := range map[string]string{
		"https://as.example.com/x": "", "https://9.9.9.9/x": "", "https://[2606:4700::1111]/": "", "https://1.example.com": "", "https://0x7f.example": "",
		"https://xn--bcher-kva.example": "", "https://localhost.example.com": "", "https://notlocalhost/": "",

		"https://localhost/": "this machine", "https://LocalHost:8443/": "this machine", "https://localhost./": "this machine",
		"https://a.LOCALHOST/": "this machine", "https://localhost.localdomain/": "this machine",
		"https://127.0.0.1/": "a loopback", "https://127.0.0.1./": "a loopback", "https://[::1]/": "a loopback", "https://[::ffff:127.0.0.1]/": "a loopback",
		"https://[0:0:0:0:0:ffff:7f00:1]/": "a loopback", "https://[::1%25lo]/": "a loopback", "https://[fe80::1%25eth0]/": "a link-local",
		"https://10.1.2.3/": "a private", "https://[fd00::1]/": "a private", "https://169.254.169.254/latest": "a link-local",
		"https://2130706433/": "unusual", "https://0x7f000001/": "unusual", "https://0X7F.1/": "unusual", "https://017700000001/": "unusual",
		"https://0177.0.0.1/": "unusual", "https://127.1/": "unusual", "https://127.0.1./": "unusual", "https://0/": "unusual", "https://1.2.3.4.5/": "unusual",
		"https://127.0.0.0x1/": "unusual", "https://0x/": "unusual", "https://./": "unusual", "https://a../": "unusual",
	} {
		err := NewGuard(false, nil, nil).CheckURL(parsed(t, target))
		if reason == "" {
			assert.NoError(t, err, target)
			continue
		}
		refusal, ok := errors.AsType[*errors.ForbiddenAddressError](err)
		if assert.True(t, ok, "%s: %v", target, err) {
			assert.Contains(t, refusal.Reason, reason, target)
		}
		assert.NoError(t, NewGuard(true, nil, nil).CheckURL(parsed(t, target)), "allow_private: %s", target)
		assert.NoError(t, Guard{}.CheckURL(parsed(t, target)), "no guard: %s", target)
	}
}

func TestListsOfTheGuard(t *testing.T) {
	for name, test := range map[string]struct {
		allow, deny []string
		target      string
		resolved    string // empty: the URL alone is looked at
		allowed     bool
		entry       string
	}{
		"a name":                            {[]string{"sso.corp.example"}, nil, "https://sso.corp.example", "10.0.0.7", true, ""},
		"another case, with a dot":          {[]string{"SSO.corp.example."}, nil, "https://sso.CORP.example.", "10.0.0.7", true, ""},
		"a name within it":                  {[]string{"corp.example"}, nil, "https://sso.corp.example", "10.0.0.7", false, ""},
		"a glob":                            {[]string{"*.corp.example"}, nil, "https://a.b.corp.example", "10.0.0.7", true, ""},
		"a glob and its bare domain":        {[]string{"*.corp.example"}, nil, "https://corp.example", "10.0.0.7", false, ""},
		"a glob at the end":                 {[]string{"sso.*"}, nil, "https://sso.evil.example", "127.0.0.1", true, ""},
		"a domain that ends alike":          {[]string{"*.corp.example"}, nil, "https://corp.example.evil.example", "10.0.0.7", false, ""},
		"a range":                           {[]string{"10.0.0.0/24"}, nil, "https://sso.corp.example", "10.0.0.7", true, ""},
		"outside the range":                 {[]string{"10.0.0.0/24"}, nil, "https://sso.corp.example", "10.0.1.7", false, ""},
		"a range not at its beginning":      {[]string{"10.0.0.9/24"}, nil, "https://sso.corp.example", "10.0.0.7", true, ""},
		"a range of mapped addresses":       {[]string{"::ffff:10.0.0.0/120"}, nil, "https://10.0.0.7", "", true, ""},
		"an address":                        {[]string{"10.0.0.7"}, nil, "https://10.0.0.7", "", true, ""},
		"an address, mapped":                {[]string{"::ffff:10.0.0.7"}, nil, "https://10.0.0.7", "10.0.0.7", true, ""},
		"an address, asked for mapped":      {[]string{"10.0.0.7"}, nil, "https://[::ffff:10.0.0.7]", "", true, ""},
		"an address, by NAT64":              {[]string{"10.0.0.7"}, nil, "https://[64:ff9b::a00:7]", "", true, ""},
		"an address of IPv6":                {[]string{"[fd00::1]"}, nil, "https://[fd00::1]", "", true, ""},
		"an address with a zone":            {[]string{"fe80::/10"}, nil, "https://[fe80::1%25eth0]", "", true, ""},
		"a port":                            {[]string{"sso.corp.example:8443"}, nil, "https://sso.corp.example:8443", "10.0.0.7", true, ""},
		"another port":                      {[]string{"sso.corp.example:8443"}, nil, "https://sso.corp.example", "10.0.0.7", false, ""},
		"the port of the scheme":            {[]string{"[::1]:443"}, nil, "https://[::1]", "", true, ""},
		"another port of an address":        {[]string{"127.0.0.1:443"}, nil, "https://127.0.0.1:8443", "", false, ""},
		"localhost":                         {[]string{"localhost"}, nil, "https://localhost", "127.0.0.1", true, ""},
		"localhost by its address":          {[]string{"127.0.0.0/8"}, nil, "https://localhost", "127.0.0.1", true, ""},
		"localhost by another":              {[]string{"::1"}, nil, "https://localhost", "127.0.0.1", false, ""},
		"everything by name":                {[]string{"*"}, nil, "https://metadata.example", "169.254.169.254", true, ""},
		"everything by name is no address":  {[]string{"*"}, nil, "https://169.254.169.254", "", false, ""},
		"deny a name":                       {nil, []string{"*.example.com"}, "https://as.example.com.", "8.8.8.8", false, "*.example.com"},
		"deny a name's address":             {nil, []string{"8.8.0.0/16"}, "https://as.example.com", "8.8.8.8", false, "8.8.0.0/16"},
		"deny goes before allow":            {[]string{"as.example.com", "10.0.0.0/8"}, []string{"10.0.0.7"}, "https://as.example.com", "10.0.0.7", false, "10.0.0.7"},
		"deny a name that allow has":        {[]string{"as.example.com"}, []string{"as.example.com"}, "https://as.example.com", "10.0.0.7", false, "as.example.com"},
		"deny an address, asked for mapped": {nil, []string{"8.8.8.8"}, "https://[::ffff:808:808]", "", false, "8.8.8.8"},
		"deny an address, by NAT64":         {nil, []string{"8.8.8.8"}, "https://as.example.com", "64:ff9b::808:808", false, "8.8.8.8"},
		"deny an address, by 6to4":          {nil, []string{"8.8.8.8"}, "https://as.example.com", "2002:808:808::1", false, "8.8.8.8"},
		"deny an address with a zone":       {[]string{"fe80::/10"}, []string{"fe80::1"}, "https://as.example.com", "fe80::1%eth0", false, "fe80::1"},
		"deny a port":                       {nil, []string{"as.example.com:22"}, "https://as.example.com", "8.8.8.8", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range append(test.allow, test.deny...) {
				require.NoError(t, CheckEntry(text))
			}
			target := parsed(t, test.target)
			made := compiled(t, NewGuard(false, test.allow, test.deny))
			isOpen, err := made.checkHost(target.Hostname(), portOf(target))
			if err == nil && test.resolved != "" {
				err = made.checkAddress(target.Hostname(), portOf(target), netip.MustParseAddr(test.resolved), isOpen)
			}
			assert.Equal(t, test.allowed, err == nil, "%v", err)
			if refusal, ok := errors.AsType[*errors.ForbiddenAddressError](err); ok {
				assert.Equal(t, test.entry, refusal.Entry)
				assert.Equal(t, map[bool]string{true: "network.deny", false: "network.allow"}[test.entry != ""], refusal.Key)
			}
		})
	}
}

// What the operator wrote is allowed; deny alone is above it.
func TestWhatTheOperatorWrote(t *testing.T) {
	for _, test := range []struct {
		server, endpoint, target string
		resolved                 string
		allowed                  bool
	}{
		{"https://mcp.example.com/mcp", "", "https://mcp.example.com:8443/x", "10.0.0.7", true},
		{"https://mcp.example.com/mcp", "", "https://other.example.com/x", "10.0.0.7", false},
		{"https://10.0.0.7/mcp", "", "https://10.0.0.7:8443/x", "", true},
		{"https://10.0.0.7/mcp", "", "https://sso.corp.example/x", "10.0.0.7", true},
		{"https://10.0.0.7/mcp", "", "https://10.0.0.8/x", "", false},
		{"http://localhost:1/mcp", "", "http://127.0.0.1:2/x", "", true},
		{"http://127.0.0.1:1/mcp", "", "http://localhost:2/x", "127.0.0.1", true},
		{"http://127.0.0.1:1/mcp", "", "http://[::1]:2/x", "", true},
		{"http://[::1]:1/mcp", "", "http://127.0.0.2:2/x", "", true},
		{"http://localhost:1/mcp", "", "https://10.0.0.7/x", "", false},
		{"http://localhost:1/mcp", "", "https://rebound.example/x", "169.254.169.254", false},
		{"https://[fe80::1%25eth0]/mcp", "", "https://127.0.0.1/x", "", false},
		{"https://mcp.example.com/mcp", "https://sso.corp.example/realm", "https://sso.corp.example/token", "10.0.0.7", true},
		{"https://mcp.example.com/mcp", "https://sso.corp.example/realm", "https://sso.corp.example:9200/", "10.0.0.7", false},
		{"https://mcp.example.com/mcp", "http://localhost:9000", "http://localhost:9000/token", "127.0.0.1", true},
		{"https://mcp.example.com/mcp", "http://localhost:9000", "http://127.0.0.1:9001/", "", false},
		{"https://mcp.example.com/mcp", "http://[::1]:9000", "http://[::1]:9000/token", "", true},
	} {
		guard := NewGuard(false, nil, nil).AllowServer(parsed(t, test.server))
		if test.endpoint != "" {
			guard = guard.AllowEndpoint(parsed(t, test.endpoint))
		}
		target := parsed(t, test.target)
		made := compiled(t, guard)
		isOpen, err := made.checkHost(target.Hostname(), portOf(target))
		if err == nil && test.resolved != "" {
			err = made.checkAddress(target.Hostname(), portOf(target), netip.MustParseAddr(test.resolved), isOpen)
		}
		assert.Equal(t, test.allowed, err == nil, "%+v: %v", test, err)
	}
	denied := NewGuard(false, nil, []string{"10.0.0.0/8"}).AllowServer(parsed(t, "https://10.0.0.7/mcp"))
	require.ErrorContains(t, denied.CheckURL(parsed(t, "https://10.0.0.7/")), `the entry "10.0.0.0/8" of network.deny`)
	require.NoError(t, DenyGuard([]string{"10.0.0.0/8"}).CheckURL(parsed(t, "http://127.0.0.1/")))
	require.Error(t, DenyGuard([]string{"10.0.0.0/8"}).CheckURL(parsed(t, "http://10.0.0.7/")))
	assert.True(t, DenyGuard(nil).IsZero())
	assert.Equal(t, NewGuard(false, []string{"a", "b"}, nil), NewGuard(false, []string{"a", "b"}, nil), "equal rules share connections")
	assert.True(t, Guard{}.AllowServer(parsed(t, "http://localhost")).IsZero())
}

func TestEntriesThatWouldNeverMatch(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "it is empty",
		"10.0.0.0/33":        "neither a host nor a CIDR",
		"https://a.example/": "neither a host nor a CIDR",
		"10.*":               "written as a CIDR",
		"10.0.0.*:80":        "written as a CIDR",
		"1.2.3":              "written as a CIDR",
		"bücher.example":     "xn--",
		"a b":                "not a host",
		"[a-z].example":      "not a host",
		"a?.example":         "not a host",
		"fe80::1%eth0":       "a zone",
		"a.example:":         "its port is not one",
		"a.example:0":        "its port is not one",
		"a.example:99999":    "its port is not one",
		"a.example:https":    "its port is not one",
		"[::1":               "not a host",
		"*":                  "",
		"*:443":              "",
		"a.example.":         "",
		"::1":                "",
		"[fd00::1]:443":      "",
		"fd00::/8":           "",
	} {
		err := CheckEntry(text)
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.ErrorContains(t, err, want, text)
	}
	_, err := NewPool().Transport(Settings{Guard: NewGuard(false, []string{"10.*"}, nil)})
	require.ErrorContains(t, err, `network: "10.*": globs are for names`)
	_, err = NewPool().Transport(Settings{Guard: NewGuard(false, nil, []string{"a/b"})})
	require.ErrorContains(t, err, `network: "a/b": neither`)
	require.Error(t, NewGuard(false, []string{"a/b"}, nil).CheckURL(parsed(t, "https://a.example")))
}

// However a host is written: if it is not refused by itself, nothing that the
// standard library would dial for it as an address is forbidden.
func FuzzLiteralHosts(f *testing.F) {
	for _, host := range []string{
		"127.0.0.1", "[::1]", "0177.1", "2130706433", "0x7f.1", "[::ffff:7f00:1]", "[fe80::1%25eth0]", "127.0.0.1.", "localhost", "LOCALHOST.", "10.0.0.1",
		"[64:ff9b::a00:1]", "[2002:7f00:1::]", "as.example.com", "1.1.1.1", "１２７.0.0.1", "[::]",
	} {
		f.Add(host)
	}
	guard := NewGuard(false, nil, nil)
	f.Fuzz(func(t *testing.T, host string) {
		u, err := url.Parse("https://" + host + "/")
		if err != nil || u.Hostname() == "" {
			return
		}
		if guard.CheckURL(u) != nil {
			return
		}
		address, err := netip.ParseAddr(strings.TrimSuffix(u.Hostname(), "."))
		if err != nil {
			return
		}
		address = address.WithZone("").Unmap()
		if !address.IsGlobalUnicast() || address.IsPrivate() || address.IsLoopback() || address.IsLinkLocalUnicast() || address.IsMulticast() {
			t.Fatalf("%q is allowed, and leads to %s", host, address)
		}
	})
}
