// Loaded before a server's own code (node --require), so that servers whose
// port is fixed, or who listen on every interface, can be run side by side and
// on this machine only: whatever they want to listen on becomes a port of
// 127.0.0.1. PEERS_PORT, if set, is the port, and 0 lets the system choose one;
// otherwise the server's own choice is kept. Each port is told on stderr.
'use strict';
const net = require('node:net');
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...given) {
  const asked = typeof given[0] === 'object' && given[0] !== null ? given[0].port : given[0];
  const callback = given.findLast(argument => typeof argument === 'function');
  this.once('listening', () => process.stderr.write(`[loopback] listening on ${this.address().port}\n`));
  const port = Number(process.env.PEERS_PORT ?? asked ?? 0);
  return listen.call(this, { port, host: '127.0.0.1' }, callback);
};
