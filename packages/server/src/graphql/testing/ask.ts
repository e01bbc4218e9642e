/** Asks queries of packages in memory. */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { PackageRow } from '@citymodel/store';
import { textOf } from '../../base/testing/text-of.ts';
import { snapshotOf, testUrls } from '../../catalogue/testing/snapshot-rows.ts';
import { buildGraph, type CatalogueGraph } from '../catalogue-graph.ts';
import { Executor } from '../execute.ts';
import type { QueryLimits } from '../limits.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
export type Answer = any;

export const LIMITS: QueryLimits = {
  maxDepth: 20,
  maxAliases: 500,
  maxTokens: 10_000,
  maxBytes: 200_000,
  maxList: 1_000,
  maxSearchTokens: 200,
  maxCost: 2_000_000,
  maxAnswerBytes: 64_000_000,
};

export interface Asking {
  graph: CatalogueGraph;
  executor: Executor;
  /** What was thrown unexpectedly. */
  faults: unknown[];
  /** The whole answer. */
  answer(query: string, variables?: unknown, operationName?: unknown): Promise<Answer>;
  /** The data of an answer without errors. */
  data(query: string, variables?: unknown): Promise<Answer>;
}

export async function asking(
  rows: readonly PackageRow[],
  limits: Partial<QueryLimits> = {},
): Promise<Asking> {
  const graph = await buildGraph(await snapshotOf(...rows), testUrls, { pause: async () => {} });
  const faults: unknown[] = [];
  const executor = new Executor({
    limits: { ...LIMITS, ...limits },
    onError: (error) => faults.push(error),
    pause: setImmediate,
  });
  const answer = async (query: string, variables?: unknown, operationName?: unknown): Promise<Answer> =>
    JSON.parse(await textOf((await executor.answer(graph, { query, variables, operationName })).document));
  return {
    graph,
    executor,
    faults,
    answer,
    async data(query, variables) {
      const { data, errors } = await answer(query, variables);
      assert.deepEqual(errors, undefined);
      return data;
    },
  };
}
