/**
 * How often more than in every run of the tests something that varies is tried: kills, flipped bits, mutated inputs.
 * `TEST_ROUNDS=10` looks longer, before a release or after a change of what they are about.
 */
export const ROUNDS = Number(process.env.TEST_ROUNDS ?? 1);
