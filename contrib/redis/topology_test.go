//go:build unix

package redis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// startCluster starts three masters that share the slots, and returns their URL.
func startCluster(t *testing.T) (nodes []*redisServer, url string) {
	t.Helper()
	for range 3 {
		node := newRedis(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
		node.start()
		nodes = append(nodes, node)
	}
	for i, node := range nodes {
		require.Equal(t, "+OK\r\n", node.command(fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d", i*5462, min((i+1)*5462, 16384)-1)))
		require.Equal(t, "+OK\r\n", node.command(fmt.Sprint("CLUSTER SET-CONFIG-EPOCH ", i+1)))
	}
	for _, node := range nodes[1:] {
		require.Equal(t, "+OK\r\n", node.command(fmt.Sprintf("CLUSTER MEET 127.0.0.1 %s %s", nodes[0].port, nodes[0].flags[len(nodes[0].flags)-1])))
	}
	for _, node := range nodes {
		node.awaits("CLUSTER INFO", "cluster_state:ok", "cluster_known_nodes:3", "cluster_size:3")
	}
	return nodes, fmt.Sprintf("redis://127.0.0.1:%s?addr=127.0.0.1:%s&addr=127.0.0.1:%s", nodes[0].port, nodes[1].port, nodes[2].port)
}

// Scripts and reads have their keys on one node each, and the nodes share the work.
func TestClusterOfThree(t *testing.T) {
	t.Parallel() // it waits most of its time
	nodes, url := startCluster(t)
	open := pairsOn(&redisServer{shown: url}, "timeout: 5s, token_timeout: 10s")
	open.all(t)
	t.Run("a deletion on several nodes", func(t *testing.T) {
		first, second := open(t)
		var keys, prefixes []string
		for i := range 20 {
			keys = append(keys, fmt.Sprintf("server%d:tools/list:-:self:-", i))
			prefixes = append(prefixes, fmt.Sprintf("server%d:tools/list:", i))
			kept(t, first.Cache.(*Cache), keys[i], "{1}")
		}
		require.NoError(t, second.Cache.DeleteOf(t.Context(), prefixes, []string{"self"}))
		for _, key := range keys {
			require.Eventually(t, func() bool { return found(t, first.Cache.(*Cache), key) == "" }, time.Second, time.Millisecond)
		}
	})
	for _, node := range nodes {
		assert.NotEqual(t, ":0\r\n", node.command("DBSIZE"))
	}
	t.Run("a node is killed and started again", func(t *testing.T) {
		stores, _ := open(t)
		isUp(t, stores)
		nodes[1].kill()
		require.Eventually(t, func() bool { // the others take no more either, when they have noticed
			for _, err := range everything(t.Context(), stores) {
				if err != nil {
					assert.ErrorIs(t, err, ErrDown)
					return true
				}
			}
			return false
		}, 30*time.Second, 10*time.Millisecond)
		nodes[1].start()
		for _, node := range nodes {
			node.awaits("CLUSTER INFO", "cluster_state:ok")
		}
		isUp(t, stores)
	})
}

// startSentinel starts a master, its replica, and a sentinel that watches them.
func startSentinel(t *testing.T) (master, replica *redisServer, url string) {
	t.Helper()
	master = newRedis(t)
	master.start()
	replica = newRedis(t, "--replicaof", "127.0.0.1 "+master.port)
	replica.start()
	replica.awaits("INFO replication", "master_link_status:up")
	sentinel := newRedis(t)
	file := filepath.Join(sentinel.folder, "sentinel.conf")
	require.NoError(t, os.WriteFile(file, []byte(fmt.Sprintf(`port %s
bind 127.0.0.1
dir %s
sentinel monitor backend 127.0.0.1 %s 1
sentinel down-after-milliseconds backend 500
sentinel failover-timeout backend 2000
`, sentinel.port, sentinel.folder, master.port)), 0o600))
	sentinel.run(file, "--sentinel")
	sentinel.awaits("SENTINEL MASTER backend", "\r\nnum-slaves\r\n$1\r\n1\r\n")
	sentinel.awaits("SENTINEL REPLICAS backend", "\r\nmaster-link-status\r\n$2\r\nok\r\n")
	return master, replica, fmt.Sprintf("redis://127.0.0.1:%s?master_set=backend", sentinel.port)
}

// The master is killed while everything is in use: the replica takes over, no
// operation hangs, tokens are still there, and nothing that was deleted is.
func TestFailoverBySentinels(t *testing.T) {
	t.Parallel() // it waits most of its time
	master, replica, url := startSentinel(t)
	server := &redisServer{shown: url}
	const keys, longest = "timeout: 500ms, token_timeout: 1s", time.Second
	here, elsewhere := server.connect(t, keys), server.connect(t, keys)
	isUp(t, here)
	isUp(t, elsewhere)
	login := auth.Key{Kind: auth.KindToken, Server: "https://a.example", Principal: "alice"}
	require.NoError(t, here.Tokens.Put(t.Context(), login, []byte("token"), time.Time{}))
	stale := kept(t, here.Cache.(*Cache), ofAlice, "{1}")
	at, err := here.Cache.(*Cache).place(ofAlice)
	require.NoError(t, err)
	before := bulk(master.command("GET " + at.generations[1]))
	require.NotEmpty(t, before)
	eventually(t, elsewhere.Cache.(*Cache), "{1}", 5*time.Second, "kept")
	replica.awaits("EXISTS "+stale, ":1")

	// The last that the master does its replica does not hear of.
	replica.stop()
	require.Equal(t, ":1\r\n", master.command("CLIENT KILL TYPE replica"))
	require.Eventually(t, func() bool { return here.Cache.Delete(t.Context(), "s-0:tools/list:") == nil }, 30*time.Second, time.Millisecond)
	require.NotEqual(t, before, bulk(master.command("GET "+at.generations[1])))
	master.kill()
	replica.resume()

	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, stores := range []factory.Stores{here, elsewhere} {
		for range 4 {
			all.Go(func() {
				for ctx.Err() == nil {
					began := time.Now()
					_, _, err := stores.Tokens.Get(t.Context(), login)
					if err != nil && !errors.Is(err, ErrDown) {
						t.Error(err)
					}
					assert.Less(t, time.Since(began), longest+3*time.Second)
					time.Sleep(5 * time.Millisecond)
				}
			})
		}
	}
	for _, stores := range []factory.Stores{here, elsewhere} {
		var token []byte
		require.Eventually(t, func() bool {
			value, _, err := stores.Tokens.Get(t.Context(), login)
			token = value
			return err == nil
		}, 30*time.Second, 20*time.Millisecond)
		assert.Equal(t, "token", string(token))
	}
	cancel()
	all.Wait()
	replica.awaits("INFO replication", "role:master")
	for _, stores := range []factory.Stores{here, elsewhere} { // here first: it has made the deletion
		require.Eventually(t, func() bool {
			value, _, err := stores.Cache.Get(t.Context(), ofAlice, cached)
			assert.Empty(t, value, "what was deleted is not there again")
			return err == nil
		}, 30*time.Second, 10*time.Millisecond)
	}
	isUp(t, here)
	isUp(t, elsewhere)
}

// bulk is a bulk string of an answer.
func bulk(answer string) string {
	_, text, _ := strings.Cut(answer, "\r\n")
	return strings.TrimSuffix(text, "\r\n")
}
