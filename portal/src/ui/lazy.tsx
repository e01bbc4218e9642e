import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, Loading } from './parts.tsx';

/** A component whose code is fetched when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let known: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [Component, setComponent] = useState<ComponentType<P> | null>(() => known);
    const [error, setError] = useState<unknown>(null);
    useEffect(() => {
      if (known !== null) return;
      load().then((component) => {
        known = component;
        setComponent(() => component);
      }, setError);
    }, []);
    if (error !== null) return <Failure error={error} retry={() => location.reload()} />;
    return Component === null ? <Loading /> : <Component {...props} />;
  };
}
