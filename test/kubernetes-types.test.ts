/**
 * Holds the manifests of `deploy/kubernetes` to the types of Kubernetes' interface, by the compiler: fields that do not
 * exist, that lack, or are of another type. `scripts/check-kubernetes.ts` compares with the schemas where they are.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { ROOT, tempDirectory } from './support/program.ts';

const MANIFESTS = join(ROOT, 'deploy/kubernetes');
const TYPES = join(ROOT, 'node_modules/kubernetes-types');
const COMPILER = join(ROOT, 'node_modules/.bin/tsc');
/** Where the types of a version are. What Kubernetes has no types of is an extension of it. */
const MODULES: Record<string, string> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  'autoscaling/v2': 'autoscaling/v2',
};
const EXTENSIONS = new Set(['keda.sh/v1alpha1']);

interface Manifest {
  apiVersion: string;
  kind: string;
}

function manifests(): Manifest[] {
  return readdirSync(MANIFESTS).flatMap((file) =>
    parseAllDocuments(readFileSync(join(MANIFESTS, file), 'utf8')).map(
      (document) => document.toJS() as Manifest,
    ),
  );
}

/** What the compiler says of manifests written as values of their types; empty when they fit. */
async function complaints(t: TestContext, of: readonly Manifest[]): Promise<string> {
  const directory = await tempDirectory(t);
  const lines = of.map((manifest, i) => {
    const module = MODULES[manifest.apiVersion];
    assert.ok(module !== undefined, `types of ${manifest.apiVersion}`);
    const from = JSON.stringify(join(TYPES, module));
    const type = `Required<Pick<Kind${i}, 'apiVersion' | 'kind'>> & Kind${i}`;
    const value = JSON.stringify(manifest, null, 1);
    return `import type { ${manifest.kind} as Kind${i} } from ${from};\nexport const m${i}: ${type} = ${value};`;
  });
  const file = join(directory, 'manifests.ts');
  await writeFile(file, lines.join('\n'));
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false'];
  const { status, stdout, stderr } = spawnSync(
    COMPILER,
    [...options, '--target', 'esnext', '--module', 'preserve', '--types', '', file],
    { encoding: 'utf8', cwd: directory },
  );
  assert.equal(status === 0, stdout === '', stderr);
  return stdout;
}

test('manifests have the fields of Kubernetes, of their types, and none that it does not know', async (t) => {
  const all = manifests();
  const own = all.filter(({ apiVersion }) => !EXTENSIONS.has(apiVersion));
  assert.ok(own.length >= 5);
  assert.equal(await complaints(t, own), '');
});

test('a field that does not exist, one that lacks, and a value of another type are seen', async (t) => {
  const deployment = manifests().find(({ kind }) => kind === 'Deployment') as Manifest & {
    spec: Record<string, unknown>;
  };
  const { selector: _, ...without } = deployment.spec;
  const specs = [without, { ...deployment.spec, replica: 2 }, { ...deployment.spec, replicas: '2' }];
  const seen = await complaints(
    t,
    specs.map((spec) => ({ ...deployment, spec }) as Manifest),
  );
  assert.match(seen, /'selector' is missing/);
  assert.match(seen, /'"replica"' does not exist/);
  assert.match(seen, /'string' is not assignable to type 'number'/);
});
