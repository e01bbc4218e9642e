/** CesiumJS in a part of the page: without globe, sky, clock and services of its own. */
import { CesiumWidget, Clock, Credit, CreditDisplay, JulianDate } from 'cesium';

// Nothing comes from Cesium ion, whose mark is the default.
CreditDisplay.cesiumCredit = new Credit('CesiumJS', true);

/** Starts CesiumJS; throws where the browser cannot draw. */
export function widgetIn(container: HTMLElement): CesiumWidget {
  const widget = new CesiumWidget(container, {
    baseLayer: false,
    globe: false,
    skyBox: false,
    skyAtmosphere: false,
    scene3DOnly: true,
    requestRenderMode: true,
    maximumRenderTimeChange: Number.POSITIVE_INFINITY,
    // The scene is drawn into a buffer that has samples of its own. Those of the canvas would cost time and show
    // nothing.
    contextOptions: { webgl: { antialias: false } },
    // Its passes over the screen take a quarter of a frame without a graphics card. Without them the depth of several
    // samples comes one frame later, and a click into a view at rest measures nothing.
    orderIndependentTranslucency: true,
    // Every pixel of the screen.
    useBrowserRecommendedResolution: false,
    clock: new Clock({ currentTime: JulianDate.fromIso8601('2024-06-21T02:00:00Z'), shouldAnimate: false }),
    showRenderLoopErrors: false,
  });
  const { scene, canvas } = widget;
  scene.sun = undefined as never;
  scene.moon = undefined as never;
  scene.fog.enabled = false;
  scene.highDynamicRange = false;
  // While somebody waits for changes of the camera, CesiumJS asks for its heading in each frame, which turns it by a
  // rounding error: a view straight down would move, and be drawn, without an end. The cluster of entities, of which
  // there are none, would wait.
  widget.dataSourceDisplay.defaultDataSource.clustering.destroy();
  canvas.tabIndex = 0;
  // Keys are for the view, not for the screen reader.
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-describedby', 'three-keys');
  return widget;
}
