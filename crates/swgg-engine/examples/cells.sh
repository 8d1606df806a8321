#!/bin/sh
# A plan by cells that are solved side by side: split, solve each cell, join.
#
#   sh cells.sh SOURCE TARGET PLAN CELLS JOBS [flags of swgg split]
#
# `xargs` stands for whatever runs many commands: a job array of Slurm has $SLURM_ARRAY_TASK_ID for K, a Makefile a rule per part. A cell that
# failed is solved again by running the same line again; parts that are there are kept.
set -eu
source=$1 target=$2 plan=$3 cells=$4 jobs=$5
shift 5

[ -d "$plan.cells" ] || swgg split "$source" "$target" --cells "$cells" --out "$plan.cells" "$@"

# There may be fewer cells than were asked for: as many as there are files of sources.
for file in "$plan.cells"/cell-*-source.parquet; do
    number=$(basename "$file" | sed 's/cell-0*\([0-9][0-9]*\)-source.parquet/\1/')
    [ -e "$plan.cells/part-$(printf %05d "$number").parquet" ] || echo "$number"
done | xargs -P "$jobs" -I '{}' swgg solve "$plan.cells" --cell '{}' --threads 1 --quiet

swgg join "$plan.cells" --plan "$plan"
rm -r "$plan.cells"
