/**
 * Large real packages are converted in time that grows with their bytes, and no file is given up;
 * `real-account.test.ts` has all others.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { DATA, publishedPackages } from '@citymodel/citygml/testing';
import { timedConversion } from './testing/timed-conversion.ts';

const packages = (await publishedPackages('{packages,conversion/*}/*_citygml_*.zip')).filter((path) =>
  /osaka-shi_city_2022|tokyo23|takeshiba/.test(path),
);

test('large real packages', { skip: existsSync(DATA) ? false : 'needs ../shared/data' }, async (t) => {
  for (const path of packages) {
    await t.test(basename(path), async () => {
      const directory = mkdtempSync(join(tmpdir(), 'citymodel-real-'));
      try {
        await timedConversion(path, directory);
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  }
});
