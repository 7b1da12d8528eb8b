-- AlterTable
ALTER TABLE "channels" ADD COLUMN "system_prompt_place" VARCHAR(8) NOT NULL DEFAULT 'before';
