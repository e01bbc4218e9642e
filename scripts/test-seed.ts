/**
 * Property tests draw the same values in every run, so that a change is judged by what it changed. `FC_SEED=random` looks
 * further afield, and `FC_SEED={number}` repeats what that found.
 */
import fc from 'fast-check';

const given = process.env.FC_SEED ?? '20261121';
if (given !== 'random') fc.configureGlobal({ seed: Number(given) });
