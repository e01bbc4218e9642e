/** Agents of connections that are given up when nothing moves on them. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { AT_ONCE, MAX_SOCKETS, type StoreTimes } from './store-link.ts';

/** An agent for addresses of this protocol, `http:` or `https:`. */
export function watchedAgent(protocol: string, times: StoreTimes): HttpAgent | HttpsAgent {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: AT_ONCE, noDelay: true };
  const isPlain = protocol === 'http:';
  const agent = isPlain ? new HttpAgent(options) : new HttpsAgent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (to, done) => {
    const socket = connect(to, done) as Socket;
    const giveUp = () =>
      socket.destroy(Object.assign(new Error('nothing came in time'), { code: 'ETIMEDOUT' }));
    // A consumer who pauses for longer than the store may take loses the connection, too; the read goes on elsewhere.
    const late = setTimeout(giveUp, times.connect);
    socket.once(isPlain ? 'connect' : 'secureConnect', () => {
      clearTimeout(late);
      socket.setTimeout(times.answer, giveUp);
    });
    socket.once('close', () => clearTimeout(late));
    return socket;
  };
  // Node.js takes the limit off a connection that waits for its next request.
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request) => {
    reuse(socket, request);
    (socket as Socket).setTimeout(times.answer);
  };
  return agent;
}
