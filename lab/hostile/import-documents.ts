/** One small document a format, with something of everything that the importer reads. */

export const PRETIX_DOCUMENT = {
  name: 'Theatre',
  categories: [
    { name: 'Stalls', color: '#2471a3' },
    { name: 'Circle', color: 'red' },
  ],
  zones: [
    {
      name: 'Ground floor',
      zone_id: 'ground',
      position: { x: 10, y: 20 },
      rows: [
        {
          row_number: '1',
          row_label: 'Row %s',
          seat_label: 'Seat %s',
          position: { x: 0, y: 0 },
          seats: [
            { seat_number: '1', seat_guid: 'g-1', category: 'Stalls', position: { x: 0, y: 0 } },
            { seat_number: '2', seat_guid: 'g-2', category: 'Stalls', position: { x: 10, y: 0 } },
            { seat_number: '12A', seat_guid: 'g-3', category: 'Circle', position: { x: 20, y: 0 } },
          ],
        },
        {
          row_number: '2',
          position: { x: 0, y: 12 },
          seats: [{ seat_number: '1', seat_guid: 'g-4', category: 'Stalls', position: { x: 0, y: 0 } }],
        },
      ],
      areas: [
        {
          shape: 'rectangle',
          position: { x: 0, y: -50 },
          rectangle: { width: 100, height: 30 },
          text: { text: 'Stage', position: { x: 5, y: 5 } },
          rotation: 15,
        },
        { shape: 'circle', position: { x: 50, y: 50 }, circle: { radius: 10 }, text: { text: 'Pillar' } },
        { shape: 'ellipse', position: { x: 50, y: 50 }, ellipse: { radius: { x: 3, y: 4 } }, rotation: 400 },
        {
          shape: 'polygon',
          position: { x: 0, y: 0 },
          polygon: {
            points: [
              { x: 0, y: 0 },
              { x: 5, y: 0 },
              { x: 5, y: 5 },
            ],
          },
        },
        { shape: 'text', position: { x: 1, y: 1 }, text: { text: 'Exit', position: { x: 0, y: 0 } } },
      ],
    },
  ],
  size: { width: 500, height: 300 },
}

const seat = (label: string, x: number, more: object = {}) => ({ label, x, y: 0, categoryKey: 1, ...more })

const objects = {
  rows: [
    {
      label: 'A',
      seats: [
        seat('1', 0),
        seat('2', 10, { accessible: true }),
        seat('3', 20, { companionSeat: true, restrictedView: true }),
        seat('4', 30, { semiAmbulatorySeat: true, displayLabel: 'Four', entrance: 'North' }),
      ],
    },
    { label: 'A', categoryKey: 2, seats: [seat('1', 0), seat('5', 50)] },
  ],
  tables: [
    { label: 'T1', bookAsAWhole: true, seats: [seat('1', 100), seat('2', 110)] },
    { label: 'T2', capacity: 6, variableOccupancy: true, seats: [] },
  ],
  booths: [{ label: 'B1', center: { x: 5, y: 5 }, categoryKey: 2 }],
  generalAdmissionAreas: [
    {
      label: 'Floor',
      capacity: 200,
      categoryKey: 2,
      type: 'polygon',
      points: [
        { x: 0, y: 0 },
        { x: 50, y: 0 },
        { x: 50, y: 50 },
      ],
    },
    { label: 'Ring', capacity: 20, type: 'ellipse', center: { x: 9, y: 9 }, width: 5, height: 7 },
  ],
  shapes: [
    {
      type: 'rectangle',
      smartType: 'stage',
      label: 'Stage',
      center: { x: 0, y: -40 },
      width: 80,
      height: 20,
      rotationAngle: 33,
    },
    { type: 'circle', center: { x: 1, y: 1 }, radius: 4 },
  ],
  texts: [{ text: 'Bar', centerX: 5, centerY: 6 }],
  imageObjects: [{ href: 'x.png' }],
  icons: [{ icon: 'wc' }],
}

const section = {
  label: 'North',
  categoryKey: 1,
  entrance: 'Gate 1',
  zone: 'z1',
  topLeft: { x: 100, y: 100 },
  points: [
    { x: 100, y: 100 },
    { x: 200, y: 100 },
    { x: 200, y: 200 },
  ],
  subChart: objects,
}

export const SEATSIO_DOCUMENT = {
  name: 'Arena',
  sectionScaleFactor: 100,
  categories: {
    list: [
      { key: 1, label: 'Seats', color: '#112233', accessible: false },
      { key: 2, label: 'Access', color: '#445566', accessible: true },
    ],
  },
  zones: { list: [{ key: 'z1', label: 'North side', focalPoint: { x: 0, y: 0 } }] },
  subChart: {
    focalPoint: { x: 0, y: 0 },
    backgroundImage: { href: 'y.png' },
    sections: [section],
    ...objects,
  },
}

export const SEATSIO_FLOORS_DOCUMENT = {
  ...SEATSIO_DOCUMENT,
  subChart: undefined,
  subChartFloors: [
    { floorName: '1', floorDisplayName: 'Ground', sections: [section], ...objects },
    { floorName: '2', focalPoint: { x: 3, y: 4 }, sections: [{ ...section, label: 'South' }], ...objects },
  ],
}
