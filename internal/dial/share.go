package dial

import "net/http"

// Share is the use of a pool's transport by one of those who share it. The last to
// release theirs leaves no idle connection behind, and the pool forgets the
// transport. All methods are safe for concurrent use.
type Share struct {
	pool       *Pool
	pooled     *pooled
	isReleased bool
}

// Share is Transport for a use that ends: the share must be released.
func (p *Pool) Share(settings Settings) (*Share, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, err := p.find(settings)
	if err != nil {
		return nil, err
	}
	found.shares++
	return &Share{pool: p, pooled: found}, nil
}

// Transport returns the transport, which remains usable after Release.
func (s *Share) Transport() http.RoundTripper { return s.pooled.transport }

// Release ends the use. If nobody else has the transport its idle connections are
// closed; those in use are closed as soon as they would be idle. To release a share
// again closes those that have become idle since, under the same condition.
func (s *Share) Release() {
	if s.release() {
		s.pooled.CloseIdleConnections()
	}
}

// release reports whether nobody uses the transport any more.
func (s *Share) release() bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if !s.isReleased {
		s.isReleased = true
		s.pooled.shares--
	}
	if s.pooled.shares > 0 {
		return false
	}
	if settings := s.pooled.settings; s.pool.transports[settings] == s.pooled {
		delete(s.pool.transports, settings)
	}
	return true
}
