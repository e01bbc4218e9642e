/**
 * Adds the libraries that browsers get to the list of licences of the program: those bundled into the portal, and those
 * that the pages of the documentation load as their authors built them. So do notices of what libraries contain.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

const HEAD = `# Licenses

The program and the pages that it serves contain libraries with the following licenses:
`;

/** Packages whose built files the pages and the portal load; each contains what it depends on. */
const BUILT = ['react', 'react-dom', 'graphiql', 'maplibre-gl'];
/** The package with the files of Swagger UI has no notices; those of Swagger UI itself stand here, for one version. */
const SWAGGER_UI = '5.34.0';

interface PackageJson {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Rewrites `cli/licenses.md` in a directory that has the program, the portal and the pages. */
export function addBrowserLicenses(directory: string): void {
  const list = join(directory, 'cli/licenses.md');
  const sections = sectionsOf(readFileSync(list, 'utf8'));
  const portal = globSync('portal/.licenses*.md', { cwd: directory });
  if (portal.length !== 2) throw new Error(`The portal has ${portal.length} lists of licences; expected 2.`);
  for (const file of portal) {
    for (const [name, text] of sectionsOf(readFileSync(join(directory, file), 'utf8'))) {
      sections.set(name, text);
    }
  }
  const seen = new Set<string>();
  for (const name of BUILT) addWithDependencies({ name, from: ROOT, seen }, sections);
  addSwaggerUi(sections);
  // What CesiumJS is built from, and contains in the workers that are copied as they are.
  const cesium = packageOf('cesium', ROOT)!;
  sections.set(headingOf(cesium.json), readFileSync(join(cesium.directory, 'LICENSE.md'), 'utf8').trim());
  // The build of libxml2 in it has a licence of its own.
  const libxml2 = packageOf('libxml2-wasm', ROOT)!;
  const own = readFileSync(join(libxml2.directory, 'LICENSE.libxml2'), 'utf8').trim();
  const wrapper = headingOf(libxml2.json);
  sections.set(wrapper, `${sections.get(wrapper)}\n\nLicence of libxml2:\n\n${own}`);
  for (const [heading, text] of sections) if (text === '') sections.set(heading, withoutText(heading));
  const sorted = [...sections].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  writeFileSync(list, HEAD + sorted.map(([name, text]) => `\n## ${name}\n\n${text}\n`).join(''));
}

/** Texts by heading. */
function sectionsOf(markdown: string): Map<string, string> {
  // A heading of this list ends in a licence in brackets; a licence text may have headings of its own.
  const parts = markdown.split(/^## (\S+ - \S+ \(.+\))$/m).slice(1);
  const sections = new Map<string, string>();
  for (let i = 0; i < parts.length; i += 2) sections.set(parts[i]!, parts[i + 1]!.trim());
  return sections;
}

function headingOf({ name, version, license = 'see below' }: PackageJson): string {
  return `${name} - ${version} (${license})`;
}

/** What stands for the text of a licence that a package does not bring along: what it says of itself. */
function withoutText(heading: string): string {
  const [name] = heading.split(' - ', 1);
  const { author, repository } = packageOf(name!, ROOT)?.json ?? {};
  const by = typeof author === 'string' ? author : author?.name;
  const from = typeof repository === 'string' ? repository : repository?.url;
  const facts = [by === undefined ? null : `Author: ${by}.`, from === undefined ? null : `Source: ${from}`];
  return ['The package names this licence and has no text of it.', ...facts]
    .filter((fact) => fact !== null)
    .join(' ');
}

function addWithDependencies(
  { name, from, seen }: { name: string; from: string; seen: Set<string> },
  sections: Map<string, string>,
): void {
  const found = packageOf(name, from);
  // An optional dependency that is not installed is in no build either.
  if (found === null) return;
  const heading = headingOf(found.json);
  if (seen.has(heading)) return;
  seen.add(heading);
  if (!sections.has(heading)) {
    const [licence] = globSync('{LICENSE,LICENCE,license,COPYING}{,.md,.txt}', { cwd: found.directory });
    const text = licence === undefined ? '' : readFileSync(join(found.directory, licence), 'utf8').trim();
    sections.set(heading, text);
  }
  for (const dependency of Object.keys(found.json.dependencies ?? {})) {
    addWithDependencies({ name: dependency, from: found.directory, seen }, sections);
  }
}

/** A package as Node.js finds it from a directory. */
function packageOf(name: string, from: string): { directory: string; json: PackageJson } | null {
  for (let at = from; ; at = dirname(at)) {
    const directory = join(at, 'node_modules', name);
    if (existsSync(join(directory, 'package.json'))) {
      return { directory, json: JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) };
    }
    if (at === dirname(at)) return null;
  }
}

function addSwaggerUi(sections: Map<string, string>): void {
  const { json } = packageOf('@fastify/swagger-ui', ROOT)!;
  const version = json.devDependencies?.['swagger-ui-dist'];
  if (version !== SWAGGER_UI) {
    throw new Error(
      `@fastify/swagger-ui has Swagger UI ${version}; scripts/notices has the notices of ${SWAGGER_UI}. Take those ` +
        `of the package swagger-ui-dist.`,
    );
  }
  const text = readFileSync(join(ROOT, `scripts/notices/swagger-ui-${SWAGGER_UI}.txt`), 'utf8').trim();
  sections.set(`swagger-ui - ${SWAGGER_UI} (Apache-2.0)`, text);
}
