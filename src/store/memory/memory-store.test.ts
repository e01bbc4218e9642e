import { objectStoreConformance } from '../testing/object-store-conformance.ts';
import { MemoryStore } from './memory-store.ts';

objectStoreConformance('memory', async () => {
  const store = new MemoryStore();
  return { open: async () => store, async [Symbol.asyncDispose]() {} };
});
