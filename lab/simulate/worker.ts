import { type Order, runOrder } from './run-order.ts'

/** A process of its own, that runs the seeds it is told. */
process.on('message', (order: Order) => {
  void runOrder(order).then(report => process.send!(report))
})
