/** Asks queries of packages in memory. */
import assert from 'node:assert/strict';
import { snapshotOf, testUrls } from '../../catalogue/testing/snapshot-rows.ts';
import type { PackageRow } from '../../store/rows.ts';
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
  maxCost: 2_000_000,
};

export interface Asking {
  graph: CatalogueGraph;
  /** What was thrown unexpectedly. */
  faults: unknown[];
  /** The whole answer. */
  answer(query: string, variables?: unknown, operationName?: unknown): Answer;
  /** The data of an answer without errors. */
  data(query: string, variables?: unknown): Answer;
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
  });
  const answer = (query: string, variables?: unknown, operationName?: unknown): Answer =>
    JSON.parse(executor.answer(graph, { query, variables, operationName }).document.body.toString());
  return {
    graph,
    faults,
    answer,
    data(query, variables) {
      const { data, errors } = answer(query, variables);
      assert.deepEqual(errors, undefined);
      return data;
    },
  };
}
