#!/bin/sh
# The strongest inputs of one neuron as CSV, with the attributes of the neurons that they come from:
#
#	sh inputs.sh larva 8835968 inputs.csv        # all inputs
#	sh inputs.sh larva 8835968 inputs.csv 20     # the 20 strongest
#
# With direction=out in place of direction=in, these are the outputs.
set -eu
. "$(dirname "$0")/ask.sh"

graph=$1 file=$3
trap 'rm -f "$file.part"' EXIT
neuron=$(printf '%s' "$2" | jq -sRr @uri)
ask "v1/graphs/$graph/vertices/$neuron/arcs?direction=in&sort=weight&format=csv${4:+&limit=$4}$insist" \
	-o "$file.part" || refused "$(cat "$file.part")"
mv "$file.part" "$file"
