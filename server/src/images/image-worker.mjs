// A worker thread does not inherit the loader of its parent on Node 20, so it brings its own.
import { register } from 'tsx/esm/api'

register()
await import('./image-worker.ts')
