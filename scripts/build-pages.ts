/** Gathers what the pages of the documentation load: their own files, and the programs that they start. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = join(import.meta.dirname, '..');

/** Files of packages, by the name under which they are served. */
const LIBRARIES: Record<string, string> = {
  'react.js': 'react/umd/react.production.min.js',
  'react-dom.js': 'react-dom/umd/react-dom.production.min.js',
  'graphiql.js': 'graphiql/graphiql.min.js',
  'graphiql.css': 'graphiql/graphiql.min.css',
  'swagger-ui.js': '@fastify/swagger-ui/static/swagger-ui-bundle.js',
  'swagger-ui.css': '@fastify/swagger-ui/static/swagger-ui.css',
};

/** Colours and parts of the header that the portal and the description of the interface share. */
const SHARED_STYLES = 'packages/portal/src/styles/shared.css';

/** What the header of pages is made of, and the styles of pages that have it. */
const HEADER_STYLES = 'packages/server/src/http/pages/page-header.css';
const UNDER_HEADER: ReadonlySet<string> = new Set(['docs-page.css', 'city-page.css']);

/** A comment that names the file of a source map, which is not served. */
const SOURCE_MAP = /\n?(\/\/|\/\*)# sourceMappingURL=\S+( \*\/)?\s*$/;

/** Writes them into the directory, each also compressed, so that no request has to. */
export function buildPages(out: string): void {
  mkdirSync(out, { recursive: true });
  for (const file of globSync('packages/server/src/http/pages/*.{js,css,html}', { cwd: ROOT })) {
    cpSync(join(ROOT, file), join(out, basename(file)));
    if (UNDER_HEADER.has(basename(file))) {
      const parts = [SHARED_STYLES, HEADER_STYLES, file].map((part) =>
        readFileSync(join(ROOT, part), 'utf8'),
      );
      writeFileSync(join(out, basename(file)), parts.join('\n'));
    }
    if (!file.endsWith('.html')) compress(join(out, basename(file)));
  }
  for (const [name, source] of Object.entries(LIBRARIES)) {
    const text = readFileSync(join(ROOT, 'node_modules', source), 'utf8');
    writeFileSync(join(out, name), text.replace(SOURCE_MAP, '\n'));
    compress(join(out, name));
  }
}

function compress(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: bytes.length > 600_000 ? 6 : 11 };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
}
