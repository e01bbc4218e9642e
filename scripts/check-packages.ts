/**
 * Checks what packages say of themselves: each has one version and a README, declares the packages that it imports, and
 * exports by its entry only what another package or an example in a README uses. Prints what is wrong and exits with 1.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { importsOf, isForTests, packageIn, posix } from './imports.ts';

interface PackageJson {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const wrong: string[] = [];
const root = read('package.json');
const directories = globSync('packages/*/package.json').map((file) =>
  posix(file).replace('/package.json', ''),
);
/** `{specifier} {name}` for everything that packages import of each other. */
const used = new Set<string>();
const versions = new Map<string, string>();

for (const directory of directories) {
  const json = read(`${directory}/package.json`);
  if (json.version !== root.version)
    wrong.push(`${directory}: has version ${json.version}, not ${root.version}`);
  if (!existsSync(`${directory}/README.md`)) wrong.push(`${directory}: has no README.md`);
  checkDeclared(globSync(`${directory}/{*,src/**/*}.{ts,tsx}`).map(posix), json, directory);
}
checkDeclared(globSync('{test,bench,scripts}/**/*.ts').map(posix), root, 'package.json');
for (const [, code] of globSync('packages/*/README.md').flatMap((file) => [
  ...readFileSync(file, 'utf8').matchAll(/^```(?:ts|js)\n([\s\S]*?)^```/gm),
])) {
  for (const [, names, target] of code!.matchAll(/import \{([^}]*)\} from '([^']+)'/g)) {
    for (const name of names!.split(',')) used.add(`${target} ${name.trim().replace(/^type /, '')}`);
  }
}
for (const directory of directories) {
  const { name, exports = {} } = read(`${directory}/package.json`);
  for (const [entry, file] of Object.entries(exports)) {
    const target = name + entry.slice(1);
    const text = readFileSync(`${directory}/${file}`, 'utf8');
    for (const [, isType, names] of text.matchAll(/^export (type )?\{([^}]*)\} from/gm)) {
      for (const word of names!
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')) {
        const exported = word
          .replace(/^type /, '')
          .split(' as ')
          .at(-1)!;
        // What an exported function takes or returns may need its type named.
        if (isType || word.startsWith('type ')) continue;
        if (!used.has(`${target} ${exported}`))
          wrong.push(`${directory}: nobody uses ${exported} of ${target}`);
      }
    }
  }
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
console.log(`${directories.length} packages declare what they use, and export what is used`);

/**
 * Looks whether what files import is declared: what runs in a published package as a dependency, anything else as one
 * of any kind.
 */
function checkDeclared(files: readonly string[], json: PackageJson, where: string): void {
  const installed = { ...json.dependencies, ...json.optionalDependencies };
  const all = { ...installed, ...json.devDependencies };
  for (const [name, version] of Object.entries(all)) {
    const other = versions.get(name) ?? version;
    versions.set(name, version);
    if (other !== version) wrong.push(`${where}: declares ${name} ${version}, another package ${other}`);
  }
  const isBundled = json.private === true || json.name === 'citymodel-server';
  const missing = new Set<string>();
  for (const file of files) {
    for (const { target, names, isType } of importsOf(file)) {
      for (const name of names) used.add(`${target} ${name}`);
      const name = packageIn(target);
      if (target.startsWith('.') || isBuiltin(target) || name === json.name || /^\w+:/.test(target)) continue;
      const runs = !isType && !isForTests(file) && !isBundled;
      const types = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
      if (!(name in (runs ? installed : all)) && !(types in all && isType))
        missing.add(`${where}: imports ${name} (${file}) and does not declare it`);
    }
  }
  wrong.push(...missing);
}

function read(file: string): PackageJson {
  return JSON.parse(readFileSync(file, 'utf8'));
}
