// A child process does not always inherit the loader of its parent, so it brings its own.
import { register } from 'tsx/esm/api'

register()
await import('./child.ts')
