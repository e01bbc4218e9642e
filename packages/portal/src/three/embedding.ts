/** The view in a frame of another page: takes its commands and tells it what happens. See docs/embedding.md. */
import { useEffect, useRef } from 'preact/hooks';
import { config } from '../core/config.ts';
import { current, leftOut, subscribe, update } from '../core/store.ts';
import { isAllowed, isOurs, PROTOCOL, type Report, readCommand } from './embed-protocol.ts';
import type { SceneState } from './use-scene.ts';
import { gmlId } from './use-scene.ts';

/** Talks with the page around while this is a frame of it, and the address says that it is embedded. */
export function useEmbedding(state: SceneState, model: string | null): void {
  const latest = useRef(state);
  latest.current = state;
  const { scene, picked, isWaiting } = state;
  const isFramed = current().embed && window.parent !== window;

  useEffect(() => {
    if (!isFramed || scene === null) return;
    const onMessage = (event: MessageEvent) => {
      // The page around and nobody else, and only where the operator lets its origin in.
      if (event.source !== window.parent || !isOurs(event.data)) return;
      if (!isAllowed(event.origin, config.embedOrigins, location.origin)) return;
      const command = readCommand(event.data as unknown as Record<string, unknown>);
      if ('reason' in command) {
        tell({ type: 'failed', reason: command.reason });
      } else if (command.type === 'fly') {
        const { lng, lat, height, heading, pitch } = command;
        scene.camera = [lng, lat, height, heading, pitch];
      } else if (command.type === 'pick') {
        const found = command.id === null ? null : scene.find(command.id);
        if (command.id !== null && found === null) {
          tell({ type: 'failed', reason: 'No feature of this id is loaded. Fly to it first.' });
          return;
        }
        latest.current.setPicked(found);
        update({ feature: command.id });
      } else {
        // Another model has other features, and lies elsewhere.
        const fresh =
          command.changes.model === undefined
            ? {}
            : { camera: null, feature: null, also: [], older: null, border: null };
        update({ ...fresh, ...command.changes });
      }
    };
    addEventListener('message', onMessage);
    tell({ type: 'ready' });
    const endOfParts = leftOut.subscribe((parts) => {
      const last = parts.at(-1);
      if (last !== undefined) tell({ type: 'failed', reason: `Left out: ${last}` });
    });
    const end = subscribe((next, previous) => {
      if (next.camera !== previous.camera && next.camera !== null) {
        tell({ type: 'camera', camera: next.camera });
      }
    });
    return () => {
      removeEventListener('message', onMessage);
      end();
      endOfParts();
    };
  }, [scene, isFramed]);
  useEffect(() => {
    if (isFramed && model !== null && !isWaiting) tell({ type: 'loaded', model });
  }, [isFramed, model, isWaiting]);
  useEffect(() => {
    if (!isFramed || model === null) return;
    tell({
      type: 'picked',
      id: picked === null ? null : gmlId(picked),
      lng: picked?.at?.[0] ?? null,
      lat: picked?.at?.[1] ?? null,
      properties: picked === null ? {} : plain(picked.properties),
    });
  }, [isFramed, picked]);
}

/**
 * To whatever page is around: what is told is public data. Whether a page may frame this one at all is the server's to
 * say (`EMBED_ORIGINS`).
 */
function tell(report: Report): void {
  window.parent.postMessage({ protocol: PROTOCOL, ...report }, '*');
}

/** Texts, numbers and booleans: what may be sent. */
function plain(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)),
  );
}
