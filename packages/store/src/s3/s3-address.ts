/** Where a bucket is and how its store is spoken to. */
export interface S3Address {
  bucket: string;
  /** Before every key: empty, or with `/` at its end. */
  prefix: string;
  /** Address of a store that is not AWS; null for AWS. */
  endpoint: string | null;
  /** Null when the SDK's own chain is to find it (AWS_REGION, profile). */
  region: string | null;
  /** `{endpoint}/{bucket}/{key}` in place of `{bucket}.{endpoint}/{key}`. */
  pathStyle: boolean;
}

const EXAMPLE = 's3://bucket/prefix?endpoint=https://s3.example.jp&region=ap-northeast-1&pathStyle=true';
const PARAMETERS = ['endpoint', 'region', 'pathStyle'];
/** Longest prefix, so that keys stay within the 1,024 bytes that S3 takes. */
const MAX_PREFIX = 512;

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…&pathStyle=…`, the value of OBJECT_STORE. Throws a RangeError that says
 * what is wrong; keys are never part of the address, and an address that has some is refused without repeating them.
 */
export function parseS3Address(text: string): S3Address {
  const wrong = (what: string) => new RangeError(`OBJECT_STORE ${what}; it looks like ${EXAMPLE}`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong('is no URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong('has keys in it, which belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  if (url.port !== '' || url.hash !== '')
    throw wrong('has a port or a fragment, which belong to the endpoint');
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw wrong(
      `names the bucket ${JSON.stringify(bucket)}, which is none (3 to 63 small letters, digits, - and .)`,
    );
  }
  const prefix = url.pathname.replace(/^\//, '').replace(/\/$/, '');
  if (prefix !== '' && !prefix.split('/').every((part) => /^[\w.-]+$/.test(part))) {
    throw wrong('has a prefix of other characters than letters, digits, -, _, . and single slashes');
  }
  if (prefix.length > MAX_PREFIX) throw wrong(`has a prefix longer than ${MAX_PREFIX} bytes`);
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name))
      throw wrong(`has the parameter ${name}; known are ${PARAMETERS.join(', ')}`);
    if (url.searchParams.getAll(name).length > 1) throw wrong(`has the parameter ${name} twice`);
  }
  const endpoint = url.searchParams.get('endpoint') || null;
  if (endpoint !== null && !/^https?:\/\/[^/?#\s@]+\/?$/.test(endpoint)) {
    throw wrong('has an endpoint that is not http(s)://host or http(s)://host:port');
  }
  const pathStyle = url.searchParams.get('pathStyle') ?? 'false';
  if (pathStyle !== 'true' && pathStyle !== 'false') throw wrong('has a pathStyle other than true and false');
  return {
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: endpoint?.replace(/\/$/, '') ?? null,
    region: url.searchParams.get('region') || null,
    pathStyle: pathStyle === 'true',
  };
}
