/** Imported into a process, it moves its clock by CLOCK_SHIFT_MS. */
const { now } = Date;
const shifted = () => now() + Number(process.env['CLOCK_SHIFT_MS']);

globalThis.Date = class extends Date {
  static now = shifted;

  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(shifted());
  }
};
