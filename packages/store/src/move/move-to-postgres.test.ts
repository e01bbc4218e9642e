import { test } from 'node:test';
import { freshDatabase } from '../testing/postgres.ts';
import { movesAndCatchesUp, twoEnds } from '../testing/two-ends.ts';

test('moves from SQLite to PostgreSQL: packages in every state, packs and jobs, and catches up', async () => {
  await using database = await freshDatabase();
  await using ends = await twoEnds(database.url);
  await movesAndCatchesUp(ends);
});
