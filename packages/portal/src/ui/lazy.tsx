import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure, api } from '../core/api.ts';
import { Failure, Loading } from './parts.tsx';

/** A component whose code is fetched when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let known: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [Component, setComponent] = useState<ComponentType<P> | null>(() => known);
    const [error, setError] = useState<unknown>(null);
    const [tries, setTries] = useState(0);
    // Asked again when the reader says so
    useEffect(() => {
      if (known !== null) return;
      load().then((component) => {
        known = component;
        setError(null);
        setComponent(() => component);
      }, setError);
    }, [tries]);
    if (error !== null) {
      const retry = () => reloadPage(() => setTries(tries + 1));
      return <Failure error={new ApiFailure('offline', 0, String(error))} retry={retry} />;
    }
    return Component === null ? <Loading /> : <Component {...props} />;
  };
}

/**
 * Tries once more after code could not be fetched. A browser may remember that a script could not be fetched; then the
 * page is loaded anew. Only when the service answers, though: a page that cannot be loaded is worse than one that says
 * so. What is seen is in the address.
 */
export async function reloadPage(otherwise: () => void): Promise<void> {
  const answers = await api('/datacatalog/summary').then(
    () => true,
    () => false,
  );
  if (answers) location.reload();
  else otherwise();
}
