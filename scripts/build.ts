/** Compiles `src/` to `dist/` and copies the data tables that are read at run time. */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
for (const file of globSync('src/**/*.{json,tsv,sql,html,css}')) {
  cpSync(file, file.replace(/^src/, 'dist'));
}
