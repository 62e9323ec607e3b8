package dial

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/mcp-client-go/mcpclient/errors"
)

func (s Settings) hasTLS() bool {
	return s.CAFile != "" || s.CertFile != "" || s.KeyFile != "" || s.ServerName != "" || s.MinVersion != 0 || s.InsecureSkipVerify
}

// tlsConfig reads the files that the settings name. The client's certificate is
// read here only to find faults early.
func tlsConfig(settings Settings) (*tls.Config, error) {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         settings.ServerName,
		InsecureSkipVerify: settings.InsecureSkipVerify, //nolint:gosec // the user's explicit wish, warned of
		NextProtos:         []string{"h2", "http/1.1"},
	}
	if settings.MinVersion != 0 {
		config.MinVersion = settings.MinVersion
	}
	if settings.CAFile != "" {
		authorities, err := readAuthorities(settings.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = authorities
	}
	if settings.CertFile == "" && settings.KeyFile == "" {
		return config, nil
	}
	if _, err := readCertificate(settings.CertFile, settings.KeyFile); err != nil {
		return nil, err
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return readCertificate(settings.CertFile, settings.KeyFile)
	}
	return config, nil
}

func readAuthorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("tls.ca_file: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("tls.ca_file: no certificate in PEM form in %s", file)
	}
	return authorities, nil
}

func readCertificate(certFile, keyFile string) (*tls.Certificate, error) {
	if certFile == "" || keyFile == "" {
		return nil, errors.New("tls.cert_file and tls.key_file: both are needed, or none")
	}
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("tls.cert_file %s, tls.key_file %s: %w", certFile, keyFile, err)
	}
	return &certificate, nil
}

// handshakeError says what a handshake's error usually means.
func handshakeError(err error) error {
	if header, ok := errors.AsType[tls.RecordHeaderError](err); ok && string(header.RecordHeader[:]) == "HTTP/" {
		return errors.New("the server speaks plain HTTP here, not HTTPS")
	}
	return err
}
