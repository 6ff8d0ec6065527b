/** The service worker's cache of maps (service-worker.ts). */
const MAPS = 'maps'

/**
 * The service worker keeps the maps that go through it. On the first visit it is installed only after the map has
 * arrived: then the page hands the map over itself, so that a reload without a network has a hall to show.
 */
export async function keepMap(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  if (!('serviceWorker' in navigator) || !('caches' in window) || navigator.serviceWorker.controller) return
  const cache = await caches.open(MAPS)
  const headers = { 'content-type': 'application/octet-stream' }
  await cache.put(new URL(path, location.origin), new Response(bytes, { headers }))
}
