/** Where the service listens, and the addresses that its answers name. */
import { integer, isAddressOrNetwork, listOf, text, URL_PATTERN } from './kinds.ts';

export const ADDRESSES_SETTINGS = {
  PORT: integer({
    minimum: 0,
    maximum: 65535,
    default: 8080,
    description: 'TCP port to listen on; 0 picks a free one.',
  }),
  WORKER_PORT: integer({
    minimum: -1,
    maximum: 65535,
    default: -1,
    description:
      'TCP port at which `citymodel worker` answers `/health/live`, `/health/ready` and `/metrics`, on HOST; 0 ' +
      'picks a free one, -1 means none.',
  }),
  HOST: text({ minLength: 1, default: '0.0.0.0', description: 'Address to listen on.' }),
  PUBLIC_URL: text({
    pattern: URL_PATTERN,
    default: 'http://localhost:8080',
    description:
      'Address at which callers reach the service; when it is not given, `http://localhost:{PORT}`. Every URL in an ' +
      'answer is built from it, never from the request.',
  }),
  ASSET_URL: text({
    pattern: `^$|${URL_PATTERN}`,
    default: '',
    description:
      'Address of the assets; empty means `{PUBLIC_URL}/assets`. Its host is the CMS host of the interface.',
  }),
  CMS_HOSTS: text({
    accepts: (value) => listOf(value).every((host) => /^([^\s/?#@:[\]]+|\[[\da-f:.]+\])(:\d+)?$/i.test(host)),
    accepted: 'host names such as assets.example.jp or localhost:8443, separated by commas',
    default: '',
    description:
      'Further host names whose URLs the service treats as its own, such as the host that a mirrored package came ' +
      'from; separated by commas.',
  }),
  TRUSTED_PROXIES: text({
    accepts: (value) => value === '' || value.split(',').every((part) => isAddressOrNetwork(part.trim())),
    accepted: 'addresses or networks such as 10.0.0.1 or 10.0.0.0/8, separated by commas',
    default: '',
    description:
      'Addresses or networks (CIDR) of reverse proxies whose `X-Forwarded-For` names the caller, separated by ' +
      'commas; empty means that the peer of the connection is the caller.',
  }),
};
