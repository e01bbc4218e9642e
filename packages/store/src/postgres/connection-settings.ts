import pg from 'pg';

/** What `pg` connects by, and how the database is called in messages: without user and password. */
export interface ConnectionSettings {
  config: pg.ClientConfig;
  name: string;
}

/** Those of libpq that promise something; `allow` and `prefer` do not. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
/** Parameters of the URL that `pg` knows of no variable for. */
const VARIABLES = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
};

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`. What the URL lacks comes from the variables that every
 * client of PostgreSQL knows (PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGSSLMODE, PGSSLROOTCERT, PGPASSFILE …).
 * `sslmode` means what it means to libpq. Throws a RangeError, which never repeats the URL, because it may hold a
 * password.
 */
export function connectionSettings(url: string, env: NodeJS.ProcessEnv = process.env): ConnectionSettings {
  const connectionString = withParameters(url, env);
  try {
    const config = {
      connectionString,
      application_name: env.PGAPPNAME ?? 'citymodel',
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
    };
    const { host, port, database } = new pg.Client(config);
    return { config, name: `postgres://${host.includes(':') ? `[${host}]` : host}:${port}/${database}` };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // Without the cause, which may repeat the URL.
    throw new RangeError(
      'DATABASE_URL cannot be read: it is postgres://user:password@host:port/database, with % codes for special ' +
        'characters, and files that sslrootcert, sslcert and sslkey name must exist',
    );
  }
}

/** The URL with what the variables say of TLS. */
function withParameters(url: string, env: NodeJS.ProcessEnv): string {
  const [, , place = '', query = ''] = /^(postgres(?:ql)?):(?:\/\/)?([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value && !parameters.has(name)) parameters.set(name, value);
  }
  const mode = parameters.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) {
    throw new RangeError(`sslmode of DATABASE_URL, or PGSSLMODE, is none of ${SSL_MODES.join(', ')}`);
  }
  parameters.set('uselibpqcompat', 'true');
  // The scheme alone leaves everything to the variables.
  return `postgres://${place === '' ? '/' : place}?${parameters}`;
}
