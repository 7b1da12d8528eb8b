import { InvalidArgumentError } from "commander";

const mostRows = 1_000;

export function idArgument(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new InvalidArgumentError("It must be an id: a whole number above 0.");
}

export function limitArgument(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value <= mostRows) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${mostRows}.`);
}

const mostDays = 90;

export function daysArgument(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value <= mostDays) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${mostDays}.`);
}

export interface ListOptions {
  limit: number;
  after: number;
}
