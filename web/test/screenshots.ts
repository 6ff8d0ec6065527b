/**
 * Takes pictures of every page and screen as they are in the demo, and a contact sheet of them, to look at:
 *
 *   PORT=3100 VOELGOED_LIMITS=off VOELGOED_DATA_DIR=/tmp/pictures-data npm start
 *   npm run screenshots -- http://127.0.0.1:3100 /tmp/pictures            all of them
 *   npm run screenshots -- http://127.0.0.1:3100 /tmp/pictures '^console' those whose names match
 *   npm run screenshots -- http://127.0.0.1:3100 docs/images '^(theatre|arena)-'   those of the README
 *
 * It changes what it finds there: it sells seats and shortens a time. Give it a server of its own.
 */
import { takeBuyersPages, takeExpired, takeForReadme } from './pictures/buyer.ts'
import { Camera } from './pictures/camera.ts'
import { takeConsole } from './pictures/console.ts'
import { Demo } from './pictures/demo.ts'
import { takeGate } from './pictures/gate.ts'

const [baseUrl, folder, only = ''] = process.argv.slice(2)
if (!baseUrl || !folder)
  throw new Error('npm run screenshots -- <address of a server with the demo> <folder> [names that match]')

const camera = await Camera.open(folder, new RegExp(only))
const demo = new Demo(baseUrl)
const theatre = await demo.fill('voelgoed', 'Somerstorm')
const arena = await demo.fill('kaap-arena', 'Winter Tour')
await takeForReadme(camera, demo, theatre, arena)
await takeBuyersPages(camera, demo, theatre)
// After a sale: orders, and tickets that were scanned.
await takeGate(camera, demo, theatre)
await takeConsole(camera, demo, theatre)
await takeExpired(camera, demo, theatre)
await camera.close()
if (camera.failed.length > 0) {
  console.error(`Not taken: ${camera.failed.join(', ')}`)
  process.exitCode = 1
}
