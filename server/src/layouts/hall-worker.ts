import { parentPort, workerData } from 'node:worker_threads'
import { hallOf } from '@voelgoed/core/allocation/seat-columns'

const hall = hallOf(workerData)
const { rows, cost, offer, price, runCost, runsByCost, places } = hall
const arrays = [...Object.values(rows), cost, offer, price, runCost, runsByCost, places]
const transfer = arrays.flatMap(array => (ArrayBuffer.isView(array) ? [array.buffer as ArrayBuffer] : []))
parentPort!.postMessage(hall, transfer)
