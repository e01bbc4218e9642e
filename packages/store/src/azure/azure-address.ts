/** Where a container is and who may use it. */
export interface AzureAddress {
  /** Address of the container, without a query. */
  url: string;
  account: string;
  container: string;
  /** Before every key: empty, or with `/` at its end. */
  prefix: string;
}

const EXAMPLE = 'az://container/prefix?account=name';
const PARAMETERS = ['account', 'endpoint'];
/** Longest prefix, so that names stay within the 1,024 characters that Azure takes. */
const MAX_PREFIX = 512;

/**
 * Reads `az://container/prefix?account=…&endpoint=…`, the value of OBJECT_STORE. The account is that of `env`
 * (AZURE_STORAGE_ACCOUNT) where the address has none. Throws a RangeError that says what is wrong; keys are never part
 * of the address, and an address that has some is refused without repeating them.
 */
export function parseAzureAddress(text: string, env: NodeJS.ProcessEnv = process.env): AzureAddress {
  const wrong = (what: string) => new RangeError(`OBJECT_STORE ${what}; it looks like ${EXAMPLE}`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong('is no URL');
  }
  if (url.username !== '' || url.password !== '' || url.searchParams.has('sig')) {
    throw wrong('has keys in it, which belong into AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN');
  }
  if (url.port !== '' || url.hash !== '')
    throw wrong('has a port or a fragment, which belong to the endpoint');
  const container = url.hostname;
  if (!/^[a-z0-9](?:[a-z0-9]|-(?!-)){1,61}[a-z0-9]$/.test(container)) {
    throw wrong(
      `names the container ${JSON.stringify(container)}, which is none (3 to 63 small letters, digits and single -)`,
    );
  }
  const prefix = url.pathname.replace(/^\//, '').replace(/\/$/, '');
  if (prefix !== '' && !prefix.split('/').every((part) => /^[\w.-]*[\w-]$/.test(part))) {
    throw wrong('has a prefix of other characters than letters, digits, -, _, . and single slashes');
  }
  if (prefix.length > MAX_PREFIX) throw wrong(`has a prefix longer than ${MAX_PREFIX} bytes`);
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name))
      throw wrong(`has the parameter ${name}; known are ${PARAMETERS.join(', ')}`);
    if (url.searchParams.getAll(name).length > 1) throw wrong(`has the parameter ${name} twice`);
  }
  const account = url.searchParams.get('account') || env.AZURE_STORAGE_ACCOUNT || '';
  if (account === '') throw wrong('names no account; add ?account=, or set AZURE_STORAGE_ACCOUNT');
  if (!/^[a-z0-9]{3,24}$/.test(account)) {
    throw wrong(
      `names the account ${JSON.stringify(account)}, which is none (3 to 24 small letters and digits)`,
    );
  }
  const endpoint = url.searchParams.get('endpoint') || `https://${account}.blob.core.windows.net`;
  // A store on one machine has the account in its path.
  if (!/^https?:\/\/[^/?#\s@]+(?:\/[a-z0-9]{3,24})?\/?$/.test(endpoint)) {
    throw wrong('has an endpoint that is not http(s)://host, with a port and /account if need be');
  }
  return {
    url: `${endpoint.replace(/\/$/, '')}/${container}`,
    account,
    container,
    prefix: prefix === '' ? '' : `${prefix}/`,
  };
}
