/** Where rows and objects are kept, and what is kept of far ones. */
import { IS_ADDRESS, integer, text } from './kinds.ts';

export const STORES_SETTINGS = {
  DATA_DIR: text({ minLength: 1, default: './data', description: 'Directory of the embedded store.' }),
  DATABASE_URL: text({
    default: '',
    description:
      'Database: `postgres://user:password@host:port/database?sslmode=verify-full`, where `PGPASSWORD` and the ' +
      'other usual variables give what the address lacks; empty means SQLite in `DATA_DIR`.',
  }),
  DATABASE_POOL: integer({
    minimum: 2,
    maximum: 1_000,
    default: 10,
    description: 'Most connections of a process to PostgreSQL; one more listens for changes.',
  }),
  DATABASE_CONNECT_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 600_000,
    default: 5_000,
    description: 'Milliseconds that a request waits for a connection to PostgreSQL; then it gets 503.',
  }),
  DATABASE_STATEMENT_TIMEOUT_MS: integer({
    minimum: 100,
    maximum: 3_600_000,
    default: 30_000,
    description: 'Milliseconds that PostgreSQL may work on one statement of a request; then it gets 503.',
  }),
  OBJECT_STORE: text({
    default: '',
    description:
      'Where archives are kept; empty means a directory in `DATA_DIR`. A bucket of S3 is `s3://bucket/prefix`, with ' +
      '`?endpoint=https://s3.example.jp&region=ap-northeast-1&pathStyle=true` where it is not on AWS; keys come ' +
      'from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the role of the machine. A container of ' +
      'Azure Blob Storage is `az://container/prefix?account=name`; its key comes from `AZURE_STORAGE_KEY`, or a ' +
      'token from `AZURE_STORAGE_SAS_TOKEN`.',
  }),
  ASSET_REDIRECT: text({
    accepts: (value) => value === '' || value === 'presigned' || IS_ADDRESS.test(value),
    accepted: 'empty, presigned, or an address such as https://cdn.example.jp/bucket',
    default: '',
    description:
      'Where callers read city zips, and packs that are written out. Empty: from the server. `presigned`: the ' +
      'server redirects them to the bucket, by an address that is signed for an hour. An address: the server ' +
      'redirects them to it, followed by the key of the object; a CDN or a public bucket answers there.',
  }),
  CACHE_DIR: text({
    default: '',
    description:
      'Directory on a local disk for blocks of a remote object store that are read often, such as indexes; empty ' +
      'means `cache` in `DATA_DIR`. Several processes may share it, and it may be deleted at any time.',
  }),
  CACHE_MB: integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 1_024,
    description: 'Largest size of the cache directory, MB; 0 means that nothing is kept on the disk.',
  }),
  CACHE_MEMORY_MB: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 64,
    description: 'Blocks of a remote object store that a process keeps in memory, MB.',
  }),
};
