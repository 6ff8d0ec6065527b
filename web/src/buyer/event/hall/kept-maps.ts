/** The service worker's cache of maps (service-worker.ts). */
const MAPS = 'maps'

/**
 * The service worker keeps the maps that go through it. On the first visit the page asks for the map before
 * the service worker is in charge: then the page puts the map there itself, so that a reload without a
 * network has a hall to show. What counts is what the cache has. Whether a service worker is in charge now
 * says nothing of the moment of asking.
 */
export async function keepMap(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  if (!('serviceWorker' in navigator) || !('caches' in window)) return
  const url = new URL(path, location.origin)
  const cache = await caches.open(MAPS)
  if (await cache.match(url, { ignoreVary: true })) return
  const headers = { 'content-type': 'application/octet-stream' }
  await cache.put(url, new Response(bytes, { headers }))
}
