import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteBackup } from '@citymodel/store';
import {
  MemoryStore,
  PostgresDriver,
  SqlCatalogueStore,
  SqlJobStore,
  withPostgres,
} from '@citymodel/store/testing';
import { Metrics } from './metrics.ts';

test(
  'figures tell of connections, the age of the catalogue and the newest backup, and what is not known is left ' +
    'out',
  async (t) => {
    const database = await PostgresDriver.open(await withPostgres(t));
    const catalogue = new SqlCatalogueStore(database);
    t.after(() => catalogue.close());
    await catalogue.migrate();
    const metrics = new Metrics();
    metrics.watchStores({ database, objects: new MemoryStore(), jobs: new SqlJobStore(database) });
    let comparedAt: number | null = null;
    metrics.watchCatalogue(() => comparedAt);
    const before = (await metrics.exposed()).text;
    assert.match(before, /^citymodel_database_answering 1$/m);
    assert.match(before, /^citymodel_database_read_only 0$/m);
    assert.match(before, /^citymodel_database_connections\{state="waiting"\} \d+$/m);
    const count = (state: string) =>
      Number(
        new RegExp(`^citymodel_database_connections\\{state="${state}"\\} (\\d+)$`, 'm').exec(before)?.[1],
      );
    assert.ok(count('idle') + count('used') >= 1);
    assert.doesNotMatch(before, /citymodel_backup|citymodel_spans|citymodel_cache/);

    comparedAt = performance.now() - 7_000;
    await noteBackup(database, { place: '/old', cutAt: 5_000, faults: 9 });
    await noteBackup(database, { place: '/backup', cutAt: 6_000, faults: 0 });
    await noteBackup(database, { place: '/backup', cutAt: 1_700_000_000_000, faults: 2 });
    const after = (await metrics.exposed()).text;
    const age = Number(/^citymodel_catalogue_compared_seconds (\S+)$/m.exec(after)?.[1]);
    assert.ok(age >= 7 && age < 60, String(age));
    assert.match(after, /^citymodel_backup_timestamp_seconds 1700000000$/m);
    assert.match(after, /^citymodel_backup_faults 2$/m);
    metrics.unavailable('database');
    assert.match((await metrics.exposed()).text, /^citymodel_unavailable_total\{cause="database"\} 1$/m);
  },
);
