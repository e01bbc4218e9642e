import type { Settings } from '../base/settings.ts';

/**
 * Begins to make spans, where the settings name a collector; else nothing of it is loaded. Before the stores are
 * opened.
 */
export async function tracingOf(settings: Settings): Promise<{ stop(): Promise<void> } | null> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === '') return null;
  const { startTracing } = await import('../http/observe/open-telemetry.ts');
  return startTracing(settings);
}
