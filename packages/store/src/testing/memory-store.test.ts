import { MemoryStore } from './memory-store.ts';
import { objectStoreConformance } from './object-store-conformance.ts';

objectStoreConformance('memory', async () => {
  const store = new MemoryStore();
  return { open: async () => store, async [Symbol.asyncDispose]() {} };
});
