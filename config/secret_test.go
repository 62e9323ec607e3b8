package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const canary = "hunter2-canary"

func TestSecretsDoNotPrint(t *testing.T) {
	type holder struct {
		Exported Secret
		hidden   Secret
		Many     map[string]Secret
		Pointer  *Secret
	}
	for _, secret := range []Secret{NewSecret(canary), LiteralSecret(canary)} {
		value := holder{secret, secret, map[string]Secret{"A": secret}, &secret}
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10v", "%-20s", "%T", "%p", "%t", "%U"} {
			for _, printed := range []any{secret, &secret, value, &value, []Secret{secret}, any(secret)} {
				assert.NotContains(t, fmt.Sprintf(format, printed), canary, format)
				assert.NotContains(t, fmt.Sprintf(format, printed), fmt.Sprintf("%x", canary), format)
			}
		}
		for _, format := range []string{"%v", "%+v", "%s", "%d", "%x"} {
			assert.Equal(t, "***", fmt.Sprintf(format, secret))
		}
		for _, format := range []string{"%q", "%#v"} {
			assert.Equal(t, `"***"`, fmt.Sprintf(format, secret))
		}
		assert.Equal(t, "***", secret.String())
		assert.Equal(t, `"***"`, secret.GoString())

		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		assert.JSONEq(t, `{"Exported": "***", "Many": {"A": "***"}, "Pointer": "***"}`, string(encoded))
		encoded, err = json.Marshal(map[Secret]int{secret: 1})
		require.NoError(t, err)
		assert.JSONEq(t, `{"***": 1}`, string(encoded))
		encoded, err = yaml.Marshal(secret)
		require.NoError(t, err)
		assert.Equal(t, "'***'\n", string(encoded))

		for _, asJSON := range []bool{false, true} {
			var log bytes.Buffer
			logger := hclog.New(&hclog.LoggerOptions{Output: &log, JSONFormat: asJSON})
			logger.Info("message", "secret", secret, "pointer", &secret, "holder", value, "list", []Secret{secret})
			slog.New(slog.NewTextHandler(&log, nil)).Info("message", "secret", secret, "holder", value)
			slog.New(slog.NewJSONHandler(&log, nil)).Info("message", "secret", secret, "holder", value)
			assert.NotContains(t, log.String(), canary)
			assert.Contains(t, log.String(), "***")
		}

		revealed, err := secret.Reveal()
		require.NoError(t, err)
		assert.Equal(t, canary, revealed)
		assert.False(t, secret.IsZero())
	}
}

func TestEmptySecrets(t *testing.T) {
	for _, secret := range []Secret{{}, NewSecret(""), LiteralSecret("")} {
		assert.True(t, secret.IsZero())
		assert.Empty(t, fmt.Sprintf("%v%s%+v", secret, secret, secret))
		assert.Equal(t, `""`, fmt.Sprintf("%q", secret))
		encoded, err := json.Marshal(secret)
		require.NoError(t, err)
		assert.Equal(t, `""`, string(encoded))
		text, err := secret.Reveal()
		require.NoError(t, err)
		assert.Empty(t, text)
	}
}

func TestSecretsAreResolvedLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write("first\n")

	var got struct {
		Token Secret `config:"token"`
	}
	require.Empty(t, section(t, "token: Bearer ${file:"+path+"}").Decode(&got))
	reveal := func() string {
		text, err := got.Token.Reveal()
		require.NoError(t, err)
		return text
	}
	assert.Equal(t, "Bearer first", reveal())
	write("second\n")
	assert.Equal(t, "Bearer second", reveal(), "a rotated file is seen")

	require.NoError(t, os.Remove(path))
	text, err := got.Token.Reveal()
	require.ErrorContains(t, err, "the file cannot be read: no such file or directory; found ${file:"+path+"}")
	assert.Empty(t, text)

	text, err = LiteralSecret("${NOT_A_REFERENCE}").Reveal()
	require.NoError(t, err)
	assert.Equal(t, "${NOT_A_REFERENCE}", text)
	t.Setenv("CONFIG_TEST_TOKEN", "${A}")
	text, err = NewSecret("${CONFIG_TEST_TOKEN}").Reveal()
	require.NoError(t, err)
	assert.Equal(t, "${A}", text, "a value is not interpolated again")
}

func TestSecretFaultsAreCollectedAtDecodeTime(t *testing.T) {
	var got struct {
		Token Secret            `config:"token"`
		Env   map[string]Secret `config:"env"`
		File  Secret            `config:"file"`
		Other string            `config:"other"`
	}
	s := section(t, "token: "+canary+"${CONFIG_TEST_UNSET}\nenv: {A: '${CONFIG_TEST_UNSET}', B: "+canary+"}\nfile: ${file:/no/such/file}\nother: x")
	faults := s.Decode(&got)
	require.Len(t, faults, 3)
	assert.Equal(t, "token", faults[0].Key)
	assert.Equal(t, "${CONFIG_TEST_UNSET}", faults[0].Found)
	assert.Equal(t, "env.A", faults[1].Key)
	assert.Equal(t, "file", faults[2].Key)
	assert.True(t, got.Token.IsZero(), "a key with a fault keeps its zero value")
	assert.Equal(t, "x", got.Other, "the others are decoded")
	for _, fault := range faults {
		assert.NotContains(t, fmt.Sprintf("%+v", fault), canary)
	}
}

// A canary in every place of a section, decoded into the wrong types, explained
// and printed, must never come out.
func TestNoFaultShowsASecret(t *testing.T) {
	shapes := []string{
		"s: " + canary, "s: [" + canary + "]", "s: {a: " + canary + "}", "s: {a: {b: [" + canary + "]}}", "s: '" + canary + "${NONE}'",
		"s: '${" + canary + "'", "s: '${A:-" + canary + "${B}}'",
	}
	targets := []any{
		&struct {
			S Secret `config:"s"`
		}{},
		&struct {
			S map[string]Secret `config:"s"`
		}{},
		&struct {
			S []Secret `config:"s"`
		}{},
		&struct {
			S *Secret `config:"s"`
		}{},
		&struct {
			S struct {
				A Secret `config:"a,required"`
			} `config:"s"`
		}{},
		&struct {
			S []struct {
				A Secret `config:"a,required"`
			} `config:"s"`
		}{},
		&struct{}{},
	}
	for _, keys := range shapes {
		for _, target := range targets {
			for _, fault := range section(t, keys).Decode(target) {
				assert.NotContains(t, fmt.Sprintf("%+v %#v %s", fault, fault, fault), canary, keys)
			}
			assert.NotContains(t, fmt.Sprintf("%+v %#v", target, target), canary, keys)
		}
	}
}

func TestLoadedSecretsCompareByText(t *testing.T) {
	decode := func(token string) (got struct {
		Token Secret `config:"token"`
	}) {
		require.Empty(t, section(t, "token: "+token).Decode(&got))
		return got
	}
	assert.Equal(t, decode("a"), decode("a"), "reload compares settings with reflect.DeepEqual")
	assert.NotEqual(t, decode("a"), decode("b"))
}
